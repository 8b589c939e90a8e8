import { z } from "zod";
import { endpoint } from "#kit/contract/endpoint.ts";
import { Day, DueDay, Id, Timestamp } from "#kit/contract/fields.ts";
import { fieldPlaceholder } from "#kit/contract/validation-messages.ts";

export const Settings = z.object({
  suspendsOverdueAttorneys: z.boolean(),
  overduePeriodsSuspensionThreshold: z.number(),
  overduePeriodInDays: z.number(),
});
export type Settings = z.output<typeof Settings>;

const wholePeriods = "a whole number of overdue periods from 0 to 120";
const graceBounds = `must be ${wholePeriods}`;

/** The grace period in whole overdue periods. Forms send NaN for text that is not a number. Source: domain rules §6. */
export const GracePeriod = z
  .number({
    error: ({ input }) =>
      Number.isNaN(input) ? `Enter ${fieldPlaceholder}: ${wholePeriods}.` : graceBounds,
  })
  .int(graceBounds)
  .min(0, graceBounds)
  .max(120, graceBounds);

export const showSettings = endpoint({
  method: "GET",
  path: "/legal_networks/settings",
  summary: "The network's rules for overdue status reports",
  object: Settings,
});

const SettingsChange = z
  .strictObject({
    suspends_overdue_attorneys: z.boolean().optional(),
    overdue_periods_suspension_threshold: GracePeriod.optional(),
  })
  .refine(
    (change) => Object.values(change).filter((value) => value !== undefined).length === 1,
    "must change exactly one of suspends_overdue_attorneys and overdue_periods_suspension_threshold",
  );
export type SettingsChange = z.output<typeof SettingsChange>;

export const changeSettings = endpoint({
  method: "PATCH",
  path: "/legal_networks/update_v2",
  summary: "Switch overdue suspensions on or off, or change the grace period: one of the two",
  body: SettingsChange,
  object: Settings,
});

/** Which attorneys would be suspended under other rules, and how many suspensions would be lifted. */
export const previewSuspensions = endpoint({
  method: "GET",
  path: "/legal_networks/suspension_preview",
  summary: "Preview what turning suspensions on, or another grace period, would do now",
  query: z.object({
    enabled: z.enum(["true", "false"]).default("true"),
    /** Default: the present one. */
    threshold: z
      .codec(z.string().regex(/^\d{1,3}$/, graceBounds), GracePeriod, {
        decode: Number,
        encode: String,
      })
      .optional(),
  }),
  object: z.object({
    suspended: z.number(),
    lifted: z.number(),
    /** The first hundred attorneys to be suspended, by name. */
    attorneys: z.array(z.object({ id: Id, name: z.string() })),
  }),
});

/** An attorney's overdue reports and the suspension that follows, in days of the network. */
export const SuspensionStatus = z.object({
  suspended: z.boolean(),
  suspendedAt: Timestamp.nullable(),
  reason: z.string().nullable(),
  /** Reports that fell due before today. */
  overdue: z.number().int(),
  /** Reports to file before the suspension ends; 0 if not suspended. */
  mustFile: z.number().int(),
  /**
   * When the attorney will be suspended unless reports are filed. Null if overdue suspensions are off, no referral is
   * open, or the attorney is already suspended.
   */
  suspendsOn: DueDay.nullable(),
  /** Days until then: 1 is tomorrow. Null if `suspendsOn` is null. */
  daysLeft: z.number().int().nullable(),
  pausedUntil: Day.nullable(),
  paused: z.boolean(),
  /** Whether the network lets lawyers set their own vacation. */
  maySetVacation: z.boolean(),
});
export type SuspensionStatus = z.output<typeof SuspensionStatus>;

export const showSuspensionStatus = endpoint({
  method: "GET",
  path: "/matters/mine/standing",
  summary: "Whether the signed-in attorney is suspended, or will be, for overdue reports",
  object: SuspensionStatus,
});
