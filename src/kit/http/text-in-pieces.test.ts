import { setImmediate as nextTurn } from "node:timers/promises";
import * as fc from "fast-check";
import { expect } from "vitest";
import { showAttorney } from "#people/contract.ts";
import { piecesOf, TextInPieces } from "#kit/http/text-in-pieces.ts";
import { app, appTest, attorney, lawyer, network } from "#tests/support/app-test.ts";
import { aChargedDebit } from "#tests/support/check-records.ts";
import { adjustByHand } from "#tests/support/entries.ts";
import { answersIn } from "#tests/support/page-answers.ts";
import { headersOf, portOf, RawConnection } from "#tests/support/raw-http.ts";
import { builtWebFolder } from "#main/app.ts";

const test = appTest({ webFolder: builtWebFolder, network: {}, attorney: {}, lawyer: true });

test("a long text is cut into pieces, and no letter is split", () => {
  const letters = fc.string({ unit: fc.constantFrom("a", "漢", "🎓"), minLength: 1, maxLength: 9 });
  fc.assert(
    fc.property(letters, (some) => {
      const text = some.repeat(Math.ceil(300_000 / some.length));
      const pieces = piecesOf(text);
      expect(pieces.length).toBeGreaterThan(4);
      expect(pieces.join("") === text).toBe(true);
      expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
    }),
    { numRuns: 20 },
  );
  expect(piecesOf("short")).toEqual(["short"]);
});

test("other work runs between two pieces", async () => {
  let turn = 0;
  const reading = new AbortController();
  const others = (async () => {
    for (; !reading.signal.aborted; turn += 1) await nextTurn();
  })();
  const turns = new Set<number>();
  let text = "";
  for await (const piece of new TextInPieces(["one, ", "two, ", "three"])) {
    turns.add(turn);
    text += String(piece);
  }
  reading.abort();
  await others;
  expect(text).toBe("one, two, three");
  expect(turns.size).toBe(3);
});

const note = "漢字".repeat(1000);

/** A record of megabytes: debits with long notes in each of its lists. */
async function aLongRecord(): Promise<void> {
  for (let count = 0; count < 20; count += 1) {
    const debit = await aChargedDebit(app.db, network, attorney);
    await adjustByHand(app.db, [debit], { cents: 1, note, times: 5 });
  }
}

test("a long record is answered completely, but not preloaded in a page", async () => {
  const path = "/dashboard";
  const call = showAttorney.path.replace(":id", String(attorney.id));
  const page = async () => answersIn((await lawyer.sendRaw({ method: "GET", url: path })).text);
  expect(Object.keys(await page())).toContain(call);
  await aLongRecord();
  expect(Object.keys(await page())).not.toContain(call);
  expect(Object.keys(await page())).toContain("/session");
  const { debits } = await lawyer.call(showAttorney, { params: { id: attorney.id } });
  const notes = debits.flatMap(({ adjustments }) => adjustments.map((one) => one.note));
  expect(notes).toHaveLength(100);
  expect(new Set(notes)).toEqual(new Set([note]));
});

test("a client that does not read a long answer occupies no slot", async () => {
  await aLongRecord();
  const port = await portOf(app);
  const connection = await RawConnection.open(port);
  connection.socket.pause();
  connection.write(`GET /attorneys/${attorney.id} HTTP/1.1\r\n${headersOf(lawyer)}\r\n`.repeat(20));
  await expect.poll(() => connection.socket.bytesRead).toBeGreaterThan(0);
  await expect.poll(() => app.server.load().inFlight).toBe(0);
  expect((await lawyer.call(showAttorney, { params: { id: attorney.id } })).debits).toHaveLength(
    20,
  );
  connection.socket.destroy();
});
