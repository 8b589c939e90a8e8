-- A spreadsheet that splits at semicolons begins a cell behind each of them: there, too, an apostrophe stands before
-- what it would run. The same as `spreadsheetText` in src/features/exports/csv-text.ts.
create or replace function spreadsheet_text(value text) returns text
  language sql immutable parallel safe
  return case when ascii(value) in (61, 43, 45, 64, 9, 13, 10) then '''' else '' end
    || case when position(';' in value) = 0 then value
      else regexp_replace(value, ';(?="*[-=+@\t\r\n])', ';''', 'g') end;
