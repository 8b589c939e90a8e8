import { listActivity } from "#features/activity/contract.ts";
import { refetch } from "#web/queries.tsx";
import { listCandidates, listMatters, listReferrals, showMatter } from "./contract.ts";

/** After a matter has changed hands: ask again for what shows whose it is. */
export async function refetchMatter(): Promise<void> {
  await refetch(showMatter, listMatters, listReferrals, listCandidates, listActivity);
}
