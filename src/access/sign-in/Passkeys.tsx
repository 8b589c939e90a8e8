import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { deviceInWords } from "#kit/domain/device-words.ts";
import { call, requestBody } from "#kit/web/api.tsx";
import { addressElsewhere } from "#kit/web/page-meta.tsx";
import { endpointQuery } from "#kit/web/queries.tsx";
import { Button, SubmitButton } from "#kit/web/ui/Button.tsx";
import { type Column, DataTable } from "#kit/web/ui/DataTable.tsx";
import { DayText } from "#kit/web/ui/DayText.tsx";
import { Dialog } from "#kit/web/ui/Dialog.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { Muted, Row } from "#kit/web/ui/layout.tsx";
import { EmptyState, Notice } from "#kit/web/ui/states.tsx";
import { TextField } from "#kit/web/ui/TextField.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import { knowsPasskeys, makePasskey, NoPasskeyUsed } from "./browser-passkeys.tsx";
import {
  addPasskey,
  listPasskeys,
  type Passkey,
  removePasskey,
  renamePasskey,
  startPasskey,
} from "./contract.ts";
import { PasskeysElsewhere } from "./PasskeyButton.tsx";
import type { WithNotice } from "./security-notice.tsx";

/** The user's passkeys, with buttons to add, rename and remove them. */
export function Passkeys({ done, onDone }: WithNotice) {
  const passkeys = useQuery(endpointQuery(listPasskeys));
  const elsewhere = addressElsewhere();
  const [renamed, setRenamed] = useState<Passkey | null>(null);
  const [isAdding, setAdding] = useState(false);
  const columns: Column<Passkey>[] = [
    { heading: "Passkey", cell: ({ name }) => name },
    {
      heading: "Stored",
      cell: ({ isSynced }) => (isSynced ? "On all your devices" : "On one device"),
    },
    { heading: "Added", nowrap: true, cell: ({ createdAt }) => <DayText on={createdAt} /> },
    {
      heading: "Last used",
      nowrap: true,
      cell: ({ lastUsedAt }) => (lastUsedAt ? <DayText on={lastUsedAt} /> : "Not yet"),
    },
    {
      heading: "Actions",
      actions: true,
      cell: (one) => (
        <Row>
          <Button
            small
            pending={false}
            label={`Rename ${one.name}`}
            onClick={() => setRenamed(one)}
          >
            Rename
          </Button>
          <RemoveButton passkey={one} onDone={onDone} />
        </Row>
      ),
    },
  ];
  return (
    <>
      <p>
        A passkey signs you in with your finger, your face or your device’s PIN, without a password.
        It cannot be stolen by a fake website.
      </p>
      <Notice>{done}</Notice>
      <DataTable
        caption="Passkeys"
        captionHidden
        columns={columns}
        rows={passkeys.data}
        keyOf={({ id }) => id}
        empty={<EmptyState title="You have no passkeys yet" />}
        pending={passkeys.isFetching}
        error={passkeys.error}
        onRetry={() => void passkeys.refetch()}
      />
      {elsewhere !== null ? (
        <PasskeysElsewhere address={elsewhere} />
      ) : knowsPasskeys() ? (
        <div className="actions">
          <Button
            pending={false}
            onClick={() => {
              onDone(null);
              setAdding(true);
            }}
          >
            Add a passkey
          </Button>
        </div>
      ) : (
        <p>
          <Muted>This browser cannot create passkeys here.</Muted>
        </p>
      )}
      {isAdding && <AddDialog onClose={() => setAdding(false)} onDone={onDone} />}
      {renamed && (
        <RenameDialog passkey={renamed} onClose={() => setRenamed(null)} onDone={onDone} />
      )}
    </>
  );
}

interface DialogProps {
  onClose: () => void;
  onDone: (done: string) => void;
}

function AddDialog({ onClose, onDone }: DialogProps) {
  const [said, setSaid] = useState<string | null>(null);
  const form = useForm({
    start: { name: deviceInWords(navigator.userAgent) },
    send: async ({ name }) => {
      setSaid(null);
      try {
        const response = await makePasskey(await call(startPasskey));
        return await call(addPasskey, { body: requestBody(addPasskey, { name, response }) });
      } catch (problem) {
        if (!(problem instanceof NoPasskeyUsed)) throw problem;
        setSaid(problem.message);
        return null;
      }
    },
    onDone: (added) => {
      if (!added) return;
      onDone(`You can now sign in with ${added.name}.`);
      onClose();
    },
  });
  return (
    <Dialog brief title="Add a passkey" onClose={onClose}>
      <Form form={{ ...form, isUnsaved: false }}>
        <TextField
          label="Name"
          hint="A name that you will recognize, such as the device’s"
          {...form.field("name")}
        />
        <Notice>{said}</Notice>
        <Row>
          <SubmitButton pending={form.pending}>Add passkey</SubmitButton>
          <Button kind="quiet" pending={false} onClick={onClose}>
            Cancel
          </Button>
        </Row>
      </Form>
    </Dialog>
  );
}

function RenameDialog({ passkey, onClose, onDone }: DialogProps & { passkey: Passkey }) {
  const form = useForm({
    start: { name: passkey.name },
    send: (typed) =>
      call(renamePasskey, {
        params: { id: passkey.id },
        body: requestBody(renamePasskey, typed),
      }),
    onDone: ({ name }) => {
      onDone(`${passkey.name} is now called ${name}.`);
      onClose();
    },
  });
  return (
    <Dialog brief title={`Rename ${passkey.name}`} onClose={onClose}>
      <Form form={form}>
        <TextField label="Name" {...form.field("name")} />
        <Row>
          <SubmitButton pending={form.pending}>Rename</SubmitButton>
          <Button kind="quiet" pending={false} onClick={onClose}>
            Cancel
          </Button>
        </Row>
      </Form>
    </Dialog>
  );
}

function RemoveButton({
  passkey: { id, name },
  onDone,
}: {
  passkey: Passkey;
  onDone: (done: string) => void;
}) {
  const removing = useMutation({
    mutationFn: () => call(removePasskey, { params: { id } }),
    onSuccess: () => onDone(`${name} was removed.`),
  });
  const question = `Remove ${name}? You will not be able to sign in with it. Also delete it on the device that stores it.`;
  return (
    <Button
      small
      kind="danger"
      pending={removing.isPending}
      label={`Remove ${name}`}
      onClick={() => {
        if (window.confirm(question)) removing.mutate();
      }}
    >
      Remove
    </Button>
  );
}
