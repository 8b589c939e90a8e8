/** SQL: equal text for the same database, whatever name and role it is reached by, on a primary and its standbys. */
export const databaseIdentity = `(
  select system_identifier || ' ' || d.oid
  from pg_control_system(), pg_database d where d.datname = current_database())`;
