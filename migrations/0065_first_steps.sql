-- When an administrator put the first steps away that Today shows until each is done. A network that has attorneys and
-- plans had seen the last of them.
alter table networks add column first_steps_put_away_at timestamptz;
update networks n set first_steps_put_away_at = now()
where exists (select from attorneys a where a.network_id = n.id) and exists (select from plans p where p.network_id = n.id);
