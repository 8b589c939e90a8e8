import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { text } from "node:stream/consumers";
import { SMTPServer } from "smtp-server";

export interface ReceivedMail {
  to: string[];
  subject: string;
  messageId: string;
  text: string;
}

/**
 * What the server does with a mail: accept it, fall silent, hang up during the transfer, or hang up once it
 * has all of it but has not said so.
 */
export type Mood = "takes" | "hangs" | "hangs up" | "takes and hangs up";

type Reply = [code: number, words: string];

/** A real SMTP server on loopback that can misbehave. `received` has all accepted mail. */
export class MailServer {
  readonly received: ReceivedMail[] = [];
  mood: Mood = "takes";
  /** An address that it rejects, and its words for that. */
  unknown: string | null = null;
  answerToUnknown: Reply = [550, "5.1.1 No such mailbox"];
  /** Called while it has a mail. */
  beforeUnknown: () => Promise<unknown> = () => Promise.resolve();
  /** Its refusal of each connection, sender or message; null for none. */
  refuses: { step: "connection" | "sender" | "message"; with: Reply } | null = null;
  /** The most connections at a time. It refuses more: as they come, or only once each has sent a mail. */
  connectionsAtMost = Infinity;
  refusesMore: "on connecting" | "after the mail" = "on connecting";
  /**
   * True if clients may send a mail's commands without waiting for each answer (PIPELINING); read by `open`.
   */
  takesCommandsAtOnce = true;
  /** How often it has refused a connection because of `connectionsAtMost`. */
  turnedAway = 0;
  /** Until this resolves it does not answer a mail that it has. */
  hold: Promise<unknown> | null = null;
  /** How many mails it is being sent now. */
  busy = 0;
  private server: SMTPServer | null = null;
  private readonly sockets = new Set<Socket>();
  private port = 0;

  static async start(): Promise<MailServer> {
    const mailServer = new MailServer();
    await mailServer.open();
    return mailServer;
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.port}`;
  }

  /** Listen again, on the same port. */
  async open(): Promise<void> {
    this.server = new SMTPServer({
      authOptional: true,
      disabledCommands: ["STARTTLS", "AUTH"],
      hidePIPELINING: !this.takesCommandsAtOnce,
      logger: false,
      onConnect: (_session, answer) => {
        const isOneTooMany = this.sockets.size > this.connectionsAtMost;
        if (!isOneTooMany || this.refusesMore === "after the mail")
          return answer(this.refusalAt("connection"));
        this.turnedAway += 1;
        answer(refusal(421, "4.3.2 The maximum number of concurrent connections has exceeded"));
      },
      onMailFrom: (_address, _session, answer) => answer(this.refusalAt("sender")),
      onRcptTo: ({ address }, _session, answer) => {
        if (this.mood === "hangs") return;
        if (address !== this.unknown) return answer();
        void this.beforeUnknown().then(() => answer(refusal(...this.answerToUnknown)));
      },
      onData: (stream, session, answer) => {
        if (this.refusesMore === "after the mail" && this.busy >= this.connectionsAtMost) {
          this.turnedAway += 1;
          stream.resume();
          stream.on("end", () =>
            answer(refusal(432, "4.3.2 STOREDRV.ClientSubmit; sender thread limit exceeded")),
          );
          return;
        }
        void this.take(
          stream,
          session.envelope.rcptTo.map(({ address }) => address),
        ).then((isTaken) => isTaken && answer(this.refusalAt("message")));
      },
    });
    this.server.server.on("connection", (socket: Socket) => {
      this.sockets.add(socket);
      socket.on("close", () => this.sockets.delete(socket));
    });
    this.server.on("error", () => undefined); // a client that went away
    this.server.listen(this.port, "127.0.0.1");
    await once(this.server.server, "listening");
    this.port = (this.server.server.address() as AddressInfo).port; // it listens on TCP
  }

  /** Refuse every connection, as a machine that is down. */
  async close(): Promise<void> {
    const { server } = this;
    this.server = null;
    if (!server) return;
    this.hangUp();
    await new Promise<void>((done) => server.close(() => done()));
  }

  hangUp(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  private refusalAt(step: "connection" | "sender" | "message"): Error | null {
    return this.refuses?.step === step ? refusal(...this.refuses.with) : null;
  }

  private async take(stream: NodeJS.ReadableStream, to: string[]): Promise<boolean> {
    if (this.mood === "hangs up") {
      this.hangUp();
      return false;
    }
    this.busy += 1;
    const raw = await text(stream);
    await this.hold;
    this.busy -= 1;
    const header = (name: string) =>
      new RegExp(`^${name}: (.*(?:\r\n[ \t].*)*)`, "im").exec(raw)?.[1]?.replace(/\r\n\s+/g, " ") ??
      "";
    this.received.push({
      to,
      subject: header("Subject"),
      messageId: header("Message-ID"),
      text: raw.slice(raw.indexOf("\r\n\r\n") + 4).replaceAll("=\r\n", ""),
    });
    if (this.mood !== "takes and hangs up") return true;
    this.hangUp();
    return false;
  }
}

function refusal(responseCode: number, words: string): Error {
  return Object.assign(new Error(words), { responseCode });
}
