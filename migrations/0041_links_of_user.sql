-- A new link ends the account's earlier ones, and a removed account takes its links along.
create index sign_in_links_of_user on sign_in_links (network_id, user_id);
