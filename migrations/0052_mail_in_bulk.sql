-- Mail that is queued for many at once, such as a month's statements, waits behind what somebody waits for:
-- a link to choose a password, a referral, a receipt.
alter table mails add column is_bulk boolean not null default false;
drop index mails_to_send;
create index mails_to_send on mails (is_bulk, next_attempt_at) where status = 'queued';

-- As in 0029, and with what else is not mailed to who has left.
create or replace function shut_account_of_departed() returns trigger language plpgsql as $$
declare
  account users;
begin
  if exists (select from enrolments
      where network_id = new.network_id and attorney_id = new.id and archived_at is null) then
    raise exception 'An attorney who leaves the panel must be enrolled in nothing.' using errcode = 'restrict_violation';
  end if;
  select * into account from users where network_id = new.network_id and attorney_id = new.id for update;
  if found then
    delete from sessions where network_id = account.network_id and user_id = account.id;
    update sign_in_links set used_at = now()
    where network_id = account.network_id and user_id = account.id and used_at is null;
    perform withdraw_sign_in_mails(account, 'The attorney has left the panel.');
  end if;
  update mails set status = 'withdrawn', last_problem = 'The attorney has left the panel.'
  where network_id = new.network_id and recipient = new.email and status = 'queued'
    and facts ->> 'kind' in ('reports due', 'suspension warning', 'suspended', 'suspension lifted', 'dues reminder', 'statement');
  return null;
end $$;
