/** SQL: the same text for the same database, by whatever name and role one is there, on a primary and its standbys. */
export const databaseIdentity = `(
  select system_identifier || ' ' || d.oid
  from pg_control_system(), pg_database d where d.datname = current_database())`;
