-- One way to compare names, and one to sort them.

-- A text as search, import and "the same client" compare it: in lower case, without accents, apostrophes and
-- quotation marks, with a space for each dash, comma and run of blanks, and "and" for "&". src/domain/folded.ts does
-- the same; a test holds the two together.
create function folded(value text) returns text
language sql immutable strict parallel safe
return case when value !~ '[^A-Za-z0-9 .@()]|  |^ | $' then lower(value collate "C") collate "default"
  -- Most of the rest has only a dash or an apostrophe: at a third of the cost.
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

-- The order of names in every list, as an English reader expects it: accents, case, apostrophes, dashes and spaces
-- do not count. Only for sorting: what it calls equal may be two names.
create collation people (provider = icu, locale = 'en-u-ka-shifted-ks-level1', deterministic = false);
