import { Muted, Stack } from "#kit/web/ui/layout.tsx";

/** A subscription's name and below it the note that distinguishes this enrolment from others. */
export function NameAndNote({ name, note }: { name: string; note: string }) {
  return (
    <Stack gap={4}>
      <span>{name}</span>
      {note && <Muted small>{note}</Muted>}
    </Stack>
  );
}
