import { Muted, Stack } from "#kit/web/ui/layout.tsx";

/** A subscription's name, with the note that tells this enrolment apart below it. */
export function NameAndNote({ name, note }: { name: string; note: string }) {
  return (
    <Stack gap={4}>
      <span>{name}</span>
      {note && <Muted small>{note}</Muted>}
    </Stack>
  );
}
