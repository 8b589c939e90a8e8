import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { showSession } from "#kit/contract/session.ts";
import { call, callWithFile, requestBody } from "#kit/web/api.tsx";
import { changedFields } from "#kit/web/changed-fields.tsx";
import { endpointQuery, refetch, showSaved } from "#kit/web/queries.tsx";
import { Button, SubmitButton } from "#kit/web/ui/Button.tsx";
import { FieldRow } from "#kit/web/ui/FieldRow.tsx";
import { FileField } from "#kit/web/ui/FileField.tsx";
import { Form } from "#kit/web/ui/Form.tsx";
import { Row, Stack } from "#kit/web/ui/layout.tsx";
import { Notice, WhenLoaded } from "#kit/web/ui/states.tsx";
import { TextArea, TextField } from "#kit/web/ui/TextField.tsx";
import { useForm } from "#kit/web/ui/use-form.tsx";
import { type Brand, changeBrand, changeLogo, showBrand } from "./contract.ts";
import css from "./letterhead.module.css";
import { Letterhead } from "./Letterhead.tsx";

/** The network's name, address and logo on receipts, statements and emails. */
export function BrandCard() {
  const brand = useQuery(endpointQuery(showBrand));
  return (
    <WhenLoaded query={brand} title="The name and the address could not be loaded">
      {(loaded) => <BrandForm brand={loaded} />}
    </WhenLoaded>
  );
}

const showBrandSaved = (saved: Brand): Brand => showSaved(endpointQuery(showBrand).queryKey, saved);

function BrandForm({ brand }: { brand: Brand }) {
  const [done, setDone] = useState<string | null>(null);
  const form = useForm({
    start: valuesOf(brand),
    labels: { name: "Name of the network" },
    send: async (typed, saved) => {
      const changes = changedFields(saved, typed);
      if (Object.keys(changes).length === 0) return showBrandSaved(await call(showBrand)); // someone else may have changed it
      return showBrandSaved(await call(changeBrand, { body: requestBody(changeBrand, changes) }));
    },
    valuesOf,
    onDone: () => {
      void refetch(showSession); // every page shows the name
      setDone("Saved. Receipts, statements and emails use it from now on.");
    },
  });
  const { name, postal_address: address, phone, email } = form.typed;
  return (
    <Stack gap={24}>
      <Form form={form} label="Name and address">
        <TextField label="Name of the network" {...form.field("name")} />
        <TextArea
          label="Postal address"
          hint="As on letters, one line each"
          {...form.field("postal_address")}
        />
        <FieldRow>
          <TextField label="Phone" type="tel" {...form.field("phone")} />
          <TextField label="Email address" type="email" {...form.field("email")} />
        </FieldRow>
        <div>
          <SubmitButton kind="secondary" pending={form.pending}>
            Save name and address
          </SubmitButton>
        </div>
        <Notice>{done}</Notice>
      </Form>
      <LogoChoice brand={brand} />
      <Stack gap={8}>
        <h3>On receipts and statements</h3>
        <div className={css["preview"]}>
          <Letterhead
            brand={{ ...brand, name, postalAddress: address.split("\n"), phone, email }}
          />
        </div>
      </Stack>
    </Stack>
  );
}

function valuesOf({ name, postalAddress, phone, email }: Brand) {
  return { name, postal_address: postalAddress.join("\n"), phone, email };
}

function LogoChoice({ brand }: { brand: Brand }) {
  const [done, setDone] = useState<string | null>(null);
  const setting = useMutation({
    mutationFn: async (file: File) =>
      showBrandSaved(await callWithFile(changeLogo, { query: {}, file })),
    onMutate: () => setDone(null),
    onSuccess: () => setDone("Logo saved."),
  });
  const removing = useMutation({
    mutationFn: async () =>
      showBrandSaved(await call(changeBrand, { body: { remove_logo: true } })),
    onMutate: () => setDone(null),
    onSuccess: () => setDone("Logo removed."),
  });
  return (
    <Stack gap={8}>
      <h3>Logo</h3>
      <FileField
        label="Choose a logo"
        hint="PNG or JPEG, up to 200 kB and 1,000 pixels per side"
        accept=".png,.jpg,.jpeg,image/png,image/jpeg"
        onChoose={(file) => setting.mutate(file)}
      />
      {brand.logo && (
        <Row>
          <Button small pending={removing.isPending} onClick={() => removing.mutate()}>
            Remove logo
          </Button>
        </Row>
      )}
      <Notice>{done}</Notice>
    </Stack>
  );
}
