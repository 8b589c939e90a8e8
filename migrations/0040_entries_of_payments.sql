-- Entries of payments come of deciding a share (decide_share), inside that statement, and of nothing
-- else: one written by hand would lower a balance while its share still counts as pending.
create function refuse_loose_payment() returns trigger language plpgsql as $$
begin
  if pg_trigger_depth() < 2 then
    raise exception 'A payment is posted by deciding its share, and only so.'
      using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger posted_by_decision before insert on ledger_entries
  for each row when (new.kind in ('payment', 'reversal')) execute function refuse_loose_payment();
