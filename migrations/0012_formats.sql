-- Values as the published interface writes them, for answers that are built in SQL.
create function dollars(amount_cents bigint) returns text
  language sql immutable parallel safe
  return case when amount_cents < 0 then '-' else '' end
    || (abs(amount_cents) / 100)::text || '.' || lpad((abs(amount_cents) % 100)::text, 2, '0');

create function iso(instant timestamptz) returns text
  language sql stable parallel safe
  return to_char(instant at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- "$50.00 every month", "$1,250.00 every 3 months"
create function payment_schedule(amount_cents bigint, every_months integer) returns text
  language sql immutable parallel safe
  return '$' || to_char(amount_cents / 100.0, 'FM999,999,999,990.00') || ' every '
    || case every_months when 1 then 'month' else every_months || ' months' end;

-- A cell as spreadsheets take it for text: one that would be run as a formula begins with an
-- apostrophe. Domain rules §7. 61 = equals sign, 43 plus, 45 minus, 64 at, 9 tab, 13 carriage return, 10 line feed.
create function spreadsheet_text(value text) returns text
  language sql immutable parallel safe
  return case when ascii(value) in (61, 43, 45, 64, 9, 13, 10) then '''' || value else value end;
