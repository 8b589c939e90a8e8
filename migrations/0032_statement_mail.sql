-- Each attorney's statement of the month before is mailed on a day of the month that the network chooses.
alter table networks
  -- Of a shorter month, its last day; null: no statements are mailed.
  add column statement_day smallint check (statement_day between 1 and 31),
  -- The day on which mailing was switched on: no statement is made up for that fell due before.
  add column statements_begun_on date,
  -- The last day of the last month whose statements were put into the outbox.
  add column statements_mailed_through date,
  add constraint networks_statements check ((statement_day is null) = (statements_begun_on is null));

-- The last report of each type, which the page of reports tells of.
create index data_exports_ready on data_exports (network_id, report_type, id) where status = 'ready';
