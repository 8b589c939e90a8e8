import type { demoAccounts } from "./accounts.ts";
import type { ProcessorName, SandboxAddresses } from "./processors.ts";
import type { Sandbox } from "./sandbox.ts";

/** All five, and what concerns them together. */
export type Sandboxes = Record<ProcessorName, Sandbox> & {
  origin: string;
  addresses: SandboxAddresses;
  accounts: typeof demoAccounts;
  /** Move their clock on, so that nonces and tokens expire. */
  advance: (ms: number) => void;
  /** Forget every charge, call and fault; webhook addresses too. */
  reset: () => void;
  /** Resolves when every webhook is delivered or given up. */
  idle: () => Promise<void>;
  close: () => Promise<void>;
};
