-- Why the recipient's mail server took no mail for the address, in words such as 'no such mailbox'; and whether that
-- stands still, since no later mail was accepted there.
alter table mails
  add column refusal text,
  add column refusal_stands boolean not null default false,
  add constraint mails_refused check (case when refusal is null then not refusal_stands else status = 'gave_up' end);
create index mails_refused on mails (network_id, recipient) where refusal_stands;
