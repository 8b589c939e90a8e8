-- A deposit changes until it is banked.
create or replace function keep_deposit() returns trigger language plpgsql as $$
begin
  if old.banked_at is not null
    or (new.network_id, new.id, new.number) is distinct from (old.network_id, old.id, old.number) then
    raise exception 'A banked deposit stays as it is.' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create or replace trigger keep before update on deposits for each row execute function keep_deposit();
