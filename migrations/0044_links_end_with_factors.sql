-- Whoever takes a second factor away, and in whatever way: a link to choose a password was given out while
-- it took both to sign in, and must not be enough alone from now on.
create function end_links_without_factor() returns trigger language plpgsql as $$
begin
  update sign_in_links set used_at = now()
  where network_id = old.network_id and user_id = old.user_id and used_at is null;
  return null;
end $$;
create trigger end_links after delete on two_factors
  for each row execute function end_links_without_factor();
create trigger end_links after delete on passkeys
  for each row execute function end_links_without_factor();
