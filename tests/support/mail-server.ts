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
 * What the server does with a mail: take it, say nothing any more, hang up while it is being sent,
 * or hang up once it has all of it but has not said so.
 */
export type Mood = "takes" | "hangs" | "hangs up" | "takes and hangs up";

/** A real SMTP server on loopback, with moods. Everything that it took stands in `received`. */
export class MailServer {
  readonly received: ReceivedMail[] = [];
  mood: Mood = "takes";
  /** An address that it does not know. */
  unknown: string | null = null;
  /** How many mails it is being sent at this moment. */
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

  /** Listen again, on the port it had before. */
  async open(): Promise<void> {
    this.server = new SMTPServer({
      authOptional: true,
      disabledCommands: ["STARTTLS", "AUTH"],
      logger: false,
      onRcptTo: ({ address }, _session, answer) => {
        if (this.mood === "hangs") return;
        const refusal = Object.assign(new Error("No such mailbox"), { responseCode: 550 });
        answer(address === this.unknown ? refusal : null);
      },
      onData: (stream, session, answer) => {
        void this.take(
          stream,
          session.envelope.rcptTo.map(({ address }) => address),
        ).then((isTaken) => isTaken && answer());
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

  private async take(stream: NodeJS.ReadableStream, to: string[]): Promise<boolean> {
    if (this.mood === "hangs up") {
      this.hangUp();
      return false;
    }
    this.busy += 1;
    const raw = await text(stream);
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
