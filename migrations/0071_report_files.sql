-- A report's file in pieces, each under the position of its first byte: whoever begins in the middle finds its
-- piece by the key. Which attempt's pieces are read, the report's record says.
create table data_export_pieces (
  network_id bigint not null,
  export_id bigint not null,
  attempt integer not null,
  start_byte bigint not null check (start_byte >= 0),
  bytes bytea not null check (bytes <> ''),
  primary key (network_id, export_id, attempt, start_byte),
  foreign key (network_id, export_id) references data_exports (network_id, id) on delete cascade
);
-- Not compressed: that took twice as long as to write them.
alter table data_export_pieces alter column bytes set storage external;

-- Files of before lie in a folder, where nobody looks any more. Marked as cancelled, since nothing failed that an
-- operator could mend; staff can have them prepared again.
update data_exports
set status = 'failed', is_cancelled = true, file_name = null, file_bytes = null,
  failure_reason = 'Its file was left behind when the server was upgraded. Retry to have it with the figures of today.'
where status = 'ready' and removed_at is null;

-- Machines share no folder any more.
alter table installation drop column database_id, drop column folder_id;
