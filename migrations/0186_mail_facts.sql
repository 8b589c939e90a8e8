-- What a mail tells of, in place of its text until it is sent: statements that queue many mails say
-- what has happened, and the words stand in src/features/mail/templates.ts alone (docs/decisions/040).
alter table mails
  alter column subject drop not null,
  alter column body drop not null,
  add column facts json, -- written with every check, which jsonb would slow down, and never searched
  add constraint mails_text_or_facts check (
    num_nonnulls(subject, body) = case when facts is null then 2 else 0 end);

-- What waits as facts holds no single-use link: it goes to where the attorney is reached now, too.
create or replace function forward_mails_of_attorney() returns trigger language plpgsql as $$
begin
  update mails set recipient = new.email
  where network_id = old.network_id and recipient = old.email and status = 'queued'
    and (body is null or position('/sign-in/link#' in body) = 0);
  return null;
end $$;
