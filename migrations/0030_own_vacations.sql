-- Whether lawyers may put themselves on vacation: PATCH /legal_networks/vacation_settings. Administrators always may.
alter table networks add column lawyers_set_own_vacation boolean not null default false;
