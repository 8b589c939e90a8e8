import { useState } from "react";
import { Button } from "#kit/web/ui/Button.tsx";
import { Section } from "#kit/web/ui/layout.tsx";
import { Notice } from "#kit/web/ui/states.tsx";
import type { Matter } from "./contract.ts";
import { EditMatterForm } from "./EditMatterForm.tsx";
import { MatterDetails } from "./MatterDetails.tsx";

/** The client's contact details. Edit appears only if the network permits it. Source: spec §2, §6. */
export function MatterInfoCard({ matter }: { matter: Matter }) {
  const [isEditing, setEditing] = useState(false);
  const [done, setDone] = useState<string | null>(null);
  const edit = () => {
    setDone(null);
    setEditing(true);
  };
  return (
    <Section
      title="Contact details"
      actions={
        matter.permitEditing &&
        !isEditing && (
          <Button small pending={false} onClick={edit}>
            Edit
          </Button>
        )
      }
    >
      <Notice>{done}</Notice>
      {isEditing && (
        <EditMatterForm
          matter={matter}
          onCancel={() => setEditing(false)}
          onDone={() => {
            setEditing(false);
            setDone("Contact details saved.");
          }}
        />
      )}
      <MatterDetails matter={matter} readOnlyPart={isEditing} />
    </Section>
  );
}
