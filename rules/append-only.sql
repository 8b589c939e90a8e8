-- Rows that are never changed or deleted (domain rules §2), not even by the owner of the tables. Only removing a
-- network from an installation deletes its rows: then the triggers are off (src/main/database-copy).

-- A trigger's events say what it refuses.
create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'Rows of % are never changed or deleted.', tg_table_name
    using errcode = 'restrict_violation';
end $$;

create or replace trigger append_only_truncate before truncate on audit_entries
  for each statement execute function refuse_change();
create or replace trigger never_changed before update or delete on matter_reports
  for each row execute function refuse_change();
create or replace trigger never_deleted before delete on plans for each row execute function refuse_change();
create or replace trigger never_deleted before delete on enrolments
  for each row execute function refuse_change();
create or replace trigger append_only before update or delete on entries
  for each row execute function refuse_change();
create or replace trigger append_only_truncate before truncate on entries
  for each statement execute function refuse_change();
create or replace trigger append_only before update or delete on book_closings
  for each row execute function refuse_change();
create or replace trigger append_only_truncate before truncate on book_closings
  for each statement execute function refuse_change();
create or replace trigger keep_truncate before truncate on debits
  for each statement execute function refuse_change();
create or replace trigger never_deleted before delete on payment_allocations
  for each row execute function refuse_change();
create or replace trigger never_truncated before truncate on payment_allocations
  for each statement execute function refuse_change();
create or replace trigger never_deleted before delete on payments
  for each row execute function refuse_change();
create or replace trigger never_deleted before delete on card_processors
  for each row execute function refuse_change();
create or replace trigger never_deleted before delete on card_sessions
  for each row execute function refuse_change();
create or replace trigger never_deleted before delete on card_transactions
  for each row execute function refuse_change();
create or replace trigger never_truncated before truncate on card_transactions
  for each statement execute function refuse_change();
create or replace trigger never_deleted before delete on card_refunds
  for each row execute function refuse_change();
create or replace trigger never_deleted before delete on card_payments
  for each row execute function refuse_change();
create or replace trigger never_truncated before truncate on card_payments
  for each statement execute function refuse_change();
create or replace trigger append_only before update or delete on charges
  for each row execute function refuse_change();
create or replace trigger never_deleted before delete on received_checks
  for each row execute function refuse_change();
create or replace trigger never_truncated before truncate on received_checks
  for each statement execute function refuse_change();
create or replace trigger never_deleted before delete on deposits
  for each row execute function refuse_change();
create or replace trigger keep_truncate before truncate on credits
  for each statement execute function refuse_change();
create or replace trigger never_deleted before delete on enrolment_batches
  for each row execute function refuse_change();
create or replace trigger never_deleted before delete on matter_referrals
  for each row execute function refuse_change();
