-- What a network's receipts, statements and mails say of it besides its name, and its logo.
alter table networks
  add column postal_address text not null default '' check (length(postal_address) <= 500),
  add column phone text not null default '' check (length(phone) <= 50),
  add column email text not null default '' check (length(email) <= 200);

-- A picture that was checked when it was stored (src/features/networks/picture.ts).
create table network_logos (
  network_id bigint primary key references networks (id) on delete restrict,
  media_type text not null check (media_type in ('image/png', 'image/jpeg')),
  bytes bytea not null check (octet_length(bytes) between 1 and 204800),
  width integer not null check (width between 1 and 1000),
  height integer not null check (height between 1 and 1000),
  -- Of the bytes: in the picture's address, so that a browser keeps it for as long as it is the same.
  digest text not null check (digest ~ '^[0-9a-f]{16}$'),
  created_at timestamptz not null default now()
);
