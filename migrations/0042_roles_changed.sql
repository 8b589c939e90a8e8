-- Who becomes someone else, in role, attorney or network, signs in again: a session stands for what
-- its user was. Deleting the sessions tells every process.
create function end_sessions_of_changed_users() returns trigger language plpgsql as $$
begin
  delete from sessions where network_id = old.network_id and user_id = old.id;
  return null;
end $$;
create trigger end_sessions after update of role, attorney_id, network_id on users
  for each row when ((new.role, new.attorney_id, new.network_id)
    is distinct from (old.role, old.attorney_id, old.network_id))
  execute function end_sessions_of_changed_users();
