-- Values as the published interface and the reports write them, for answers built in SQL.

-- -1234.50
create or replace function dollars(amount_cents bigint) returns text
  language sql immutable parallel safe
  return case when amount_cents < 0 then '-' else '' end
    || (abs(amount_cents) / 100)::text || '.' || lpad((abs(amount_cents) % 100)::text, 2, '0');

-- 2026-11-26T09:30:00.000Z
create or replace function iso(instant timestamptz) returns text
  language sql stable parallel safe
  return to_char(instant at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- A cell that spreadsheets read as text (domain rules §7). An apostrophe goes before a text that would run as a
-- formula, and after a semicolon or a line break, where some spreadsheets begin a cell. A text that begins with
-- apostrophes before a formula gets one more, so that an import can remove the added one. Same as `guarded` in
-- src/kit/domain/formula-guard.ts. 61 is =, 43 +, 45 -, 64 @, 9 tab, 13 and 10 line ends.
create or replace function spreadsheet_text(value text) returns text
  language sql immutable parallel safe
  return case when ascii(value) in (61, 43, 45, 64, 9, 13, 10)
      or (ascii(value) = 39 and value ~ '^''+[-=+@\t\r\n]') then '''' else '' end
    || case when value !~ '[;\r\n]' then value
      else regexp_replace(value, '(;(?=''*"*[-=+@\t\r\n])|[\r\n](?=''*"*[-=+@\t]))', '\1''', 'g') end;

-- A text for comparison in search, import and "the same client": lower case, without accents, apostrophes and
-- quotation marks, with a space for each dash, comma and run of blanks, and "and" for "&". src/kit/domain/folded.ts
-- does the same; a test compares the two.
create or replace function folded(value text) returns text
language sql immutable strict parallel safe
return case when value !~ '[^A-Za-z0-9 .@()]|  |^ | $' then lower(value collate "C") collate "default"
  -- Most others only have a dash or an apostrophe: a third of the cost.
  when value !~ '[^ -~]' then
    trim(regexp_replace(translate(replace(lower(value collate "C"), '&', ' and '), '-,''`"', '  '), '  +', ' ', 'g')) collate "default"
  else trim(regexp_replace(
    regexp_replace(
      replace(replace(replace(replace(replace(
        translate(lower(normalize(translate(value, U&'\00B4\1FFD', ''''''), NFKD) collate "und-x-icu"), 'øłđħŧıðς', 'oldhtidσ'),
        'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'), '&', ' and '),
      '[\u0300-\u036f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff''"`\u00ab\u00bb\u02b9-\u02bf\u2018-\u201f\u2032\u2035\u055a]', '', 'g'),
    '[ \t\n\r\f\v\u0085\u1680\u2028\u2029,\u2010-\u2015\u2212-]+', ' ', 'g')) collate "default"
  end;

-- A text as it is stored. src/kit/domain/cleaned.ts does the same; a test compares the two.
create or replace function cleaned(value text) returns text
language sql immutable strict parallel safe
return case when value !~ '[^\n\r\t -~]|  ' then value
  else regexp_replace(
    normalize(regexp_replace(value,
      '[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]', '', 'g'), NFC),
    '[ \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+', ' ', 'g')
  end;

-- An answer's text in pieces: decoding, copying and encoding megabytes as one text would block the server. Most
-- answers are one piece; longer ones come in pieces of about 64 kB.
create or replace function in_pieces(body text) returns text[] language plpgsql immutable strict parallel safe as $$
declare
  bytes bytea;
  pieces text[] := '{}';
  here integer := 1;
  there integer; -- behind the last byte of a piece
begin
  if octet_length(body) <= 262144 then
    return array[body];
  end if;
  bytes := convert_to(body, 'UTF8');
  while here <= octet_length(bytes) loop
    there := least(here + 65536, octet_length(bytes) + 1);
    -- Never inside a letter: its further bytes begin with the bits 10.
    while there <= octet_length(bytes) and get_byte(bytes, there - 1) & 192 = 128 loop
      there := there - 1;
    end loop;
    pieces := pieces || convert_from(substring(bytes from here for there - here), 'UTF8');
    here := there;
  end loop;
  return pieces;
end $$;
