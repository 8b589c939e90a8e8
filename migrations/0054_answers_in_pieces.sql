-- An answer's text in pieces: a server that decodes, copies and encodes megabytes at once answers nobody else
-- meanwhile. Most answers are one piece; a longer one comes in pieces of about 64 kB.
create function in_pieces(body text) returns text[] language plpgsql immutable strict parallel safe as $$
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
    -- Never within a letter: its further bytes begin with the bits 10.
    while there <= octet_length(bytes) and get_byte(bytes, there - 1) & 192 = 128 loop
      there := there - 1;
    end loop;
    pieces := pieces || convert_from(substring(bytes from here for there - here), 'UTF8');
    here := there;
  end loop;
  return pieces;
end $$;

-- The logo as a statement's PDF holds it: nothing has to be decoded when one is drawn. Null: it was uploaded before,
-- and is made when the next one is drawn (src/features/networks/printed-logo.ts).
alter table network_logos
  add column printed bytea check (octet_length(printed) between 1 and 524288);
