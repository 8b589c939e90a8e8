-- When an administrator put the first steps away that Today shows until each is done.
alter table networks add column first_steps_put_away_at timestamptz;
