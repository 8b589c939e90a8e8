-- How far the import of a network's file is, for those who wait: written beside its transaction. That
-- one is under way is said by its advisory lock; a row that a dead process left means nothing.
create table imports_under_way (
  network_id bigint primary key references networks on delete cascade,
  record_type text not null check (record_type in ('attorney', 'matter')),
  file_name text not null check (length(file_name) <= 200),
  begun_by text not null,
  step text not null check (step in ('reading', 'comparing', 'saving')),
  rows_read integer not null check (rows_read >= 0),
  rows_in_all integer not null check (rows_in_all >= 0)
);
