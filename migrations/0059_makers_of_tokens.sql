-- Who has made a token, by the account: those that a removed administrator has made are revoked with it, and null are
-- those that were to go on. A network that is being moved between cells is written as its mover (migration 0047).
alter table api_tokens add column made_by bigint;
do $$
declare
  networks bigint[];
begin
  for networks in
    select array_agg(id) from networks where id not in (select network_id from network_moves)
    union all
    select array[network_id] from network_moves
  loop
    perform set_config('referral_network.moving_network', networks[1]::text, true);
    update api_tokens t set made_by = u.id
    from audit_entries e join users u on u.network_id = e.network_id and u.id = e.actor_user_id
    where t.network_id = any(networks) and e.network_id = t.network_id and e.record_type = 'API token'
      and e.record_id = t.id and e.action = 'made';
  end loop;
  perform set_config('referral_network.moving_network', '', true);
end $$;
alter table api_tokens add foreign key (network_id, made_by) references users (network_id, id)
  on delete set null (made_by);
create index api_tokens_of_maker on api_tokens (network_id, made_by);

-- Whoever removes an account, and in whatever way. Of a token that was made in this very moment, too: its row refers to
-- the account, which is waited for before this looks.
create function revoke_tokens_of_maker() returns trigger language plpgsql as $$
begin
  update api_tokens set revoked_at = now()
  where network_id = old.network_id and made_by = old.id and revoked_at is null;
  return old;
end $$;
create trigger revoke_tokens before delete on users
  for each row when (old.role = 'admin') execute function revoke_tokens_of_maker();
