-- A network is moved to another cell by logical replication of its rows alone (docs/decisions/080): what says whose
-- a row is must stand in the key by which a change is told. Where the primary key is the library's id alone,
-- another key has the network.
alter table accounts add constraint accounts_of_network unique (network_id, id);
alter table two_factors add constraint two_factors_of_network unique (network_id, id);
alter table passkeys add constraint passkeys_of_network unique (network_id, id);
alter table users replica identity using index users_network_id_id_key;
alter table accounts replica identity using index accounts_of_network;
alter table two_factors replica identity using index two_factors_of_network;
alter table passkeys replica identity using index passkeys_of_network;
