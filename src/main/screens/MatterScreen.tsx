import { History } from "#office/activity/History.tsx";
import { MatterPage } from "#referrals/matters/MatterPage.tsx";

const history = (id: number) => <History of={{ record_type: "matter", record_id: id }} />;

export function MatterScreen() {
  return <MatterPage history={history} />;
}
