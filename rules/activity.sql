-- Activity is kept forever. Sign-in records are kept for 400 days.
create or replace function refuse_audit_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    if old.record_type = 'sign-in' and old.created_at < now() - interval '400 days' then
      return old;
    end if;
  end if;
  raise exception 'Rows of % are never changed or deleted.', tg_table_name
    using errcode = 'restrict_violation';
end $$;

create or replace trigger append_only before update or delete on audit_entries
  for each row execute function refuse_audit_change();
