-- When the account was last signed in to; null for never. Who had chosen a password before this was noted did
-- sign in with it.
alter table users add column last_signed_in_at timestamptz;
update users u set last_signed_in_at = coalesce(
  (select max(s.created_at) from sessions s where s.network_id = u.network_id and s.user_id = u.id),
  (select max(c.updated_at) from accounts c
    where c.network_id = u.network_id and c.user_id = u.id and c.password is not null));

create function note_sign_in() returns trigger language plpgsql as $$
begin
  update users set last_signed_in_at = new.created_at
  where network_id = new.network_id and id = new.user_id;
  return null;
end $$;
create trigger note_sign_in after insert on sessions for each row execute function note_sign_in();

-- Whether a batch of enrolments is one of Subscribe all, or of attorneys who were chosen in the list.
alter table enrolment_batches add column of_all boolean not null default true;

-- What is owed and since when: for each of the panel, and of all by age. Few of all debits ever made.
create index debits_owed_by_attorney on debits (network_id, attorney_id, due_on) include (balance_cents)
  where balance_cents > 0;
