import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Link } from "react-router";
import { endpointQuery } from "#kit/web/queries.tsx";
import { DayText } from "#kit/web/ui/DayText.tsx";
import { Muted, Stack } from "#kit/web/ui/layout.tsx";
import { Warning } from "#kit/web/ui/states.tsx";
import type { TypedContact } from "./ContactFields.tsx";
import { listSameClient, type SameClient } from "./contract.ts";

const pauseMs = 400;

/** Shows referrals that may be the same client's while one is recorded. It blocks nothing. */
export function SameClientNote({ typed }: { typed: TypedContact }) {
  const { first_name, last_name, phone } = typed;
  const asked = useSettled(
    JSON.stringify({
      first_name: first_name.slice(0, 200),
      last_name: last_name.slice(0, 200),
      phone: phone.slice(0, 50), // the call's limit
    }),
  );
  const query: Pick<TypedContact, "first_name" | "last_name" | "phone"> = JSON.parse(asked);
  const hasName = query.first_name.trim() !== "" && query.last_name.trim() !== "";
  const same = useQuery({
    ...endpointQuery(listSameClient, { query }),
    enabled: hasName || query.phone.replaceAll(/\D/g, "").length >= 10,
    meta: { expectsNotFound: true },
  });
  const found = same.data ?? [];
  return (
    <div aria-live="polite">
      {found.length > 0 && (
        <Warning title="This client may already be recorded">
          <Stack gap={4}>
            {found.map((one) => (
              <span key={one.id}>
                <Link to={`/admin/matters/${one.id}`} target="_blank">
                  {one.name}
                </Link>{" "}
                <Muted small>
                  {likeness(one)}, requested <DayText on={one.submittedAt} />,{" "}
                  {one.attorneyName === null ? "not referred" : `with ${one.attorneyName}`},{" "}
                  {one.status}
                </Muted>
              </span>
            ))}
          </Stack>
        </Warning>
      )}
    </div>
  );
}

function likeness({ sameName, samePhone }: SameClient): string {
  if (sameName && samePhone) return "same name and phone";
  return sameName ? "same name" : "same phone";
}

/** The value, once it has not changed for a moment. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
