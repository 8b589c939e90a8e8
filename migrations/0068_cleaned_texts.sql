-- Texts are kept with composed letters, plain single spaces and nothing invisible. From now on each request's are so
-- (src/contract/fields.ts); here are those that were kept before.

-- A text as it is kept: src/domain/cleaned.ts does the same, and a test holds the two together.
create function cleaned(value text) returns text
language sql immutable strict parallel safe
return case when value !~ '[^\n\r\t -~]|  ' then value
  else regexp_replace(
    normalize(regexp_replace(value,
      '[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]', '', 'g'), NFC),
    '[ \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+', ' ', 'g')
  end;
