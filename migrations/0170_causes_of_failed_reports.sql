-- What a failed report failed of, for the operator's figures; the sentence beside it is for staff.
-- Null for those that failed before this, and for cancelled ones.
alter table data_exports add column failure_cause text
  check (failure_cause in ('disk full', 'folder', 'database', 'stopped', 'other'));

-- The last day's are counted every few seconds.
create index data_exports_failed on data_exports (finished_at) where status = 'failed' and not is_cancelled;
