import { FirmPage } from "#panel/firms/FirmPage.tsx";
import { FirmChecks } from "#payments/checks/FirmChecks.tsx";

const checks = (id: number) => <FirmChecks firmId={id} />;

export function FirmScreen() {
  return <FirmPage checks={checks} />;
}
