import { fireEvent, render, screen, waitFor } from "@testing-library/svelte";
import { describe, expect, it, vi } from "vitest";
import type { AttachmentView } from "../api/types/AttachmentView";
import { announcement } from "./announce";
import Attachments from "./Attachments.svelte";
import { applyEvents } from "./reducer";
import type { ReplyActions } from "./reply-actions";
import { EMPTY, lastMessage } from "./state";

const PICTURE: AttachmentView = {
  name: "map.png",
  mimeType: "image/png",
  size: 3_000,
  caption: "The way",
  isPicture: true,
};
const LIST: AttachmentView = { name: "list.csv", mimeType: "text/csv", size: 12, caption: null, isPicture: false };
const ADDRESS = "data:image/png;base64,AAAA";

function show(attachments: AttachmentView[], address: string | null = ADDRESS) {
  const pictureOf = vi.fn().mockResolvedValue(address);
  const save = vi.fn();
  const actions = { pictureOf, save } as unknown as ReplyActions;
  render(Attachments, { attachments, reply: 7, actions });
  return { pictureOf, save };
}

describe("files of a reply", () => {
  it("are drawn in place where they are pictures", async () => {
    const { pictureOf } = show([LIST, PICTURE]);

    const picture = await screen.findByRole<HTMLImageElement>("img", { name: "The way" });

    expect(picture.src).toBe(ADDRESS);
    expect(pictureOf.mock.calls).toEqual([[7, 1]]);
  });

  it("are cards where they are no pictures, or none that can be drawn", async () => {
    show([LIST, PICTURE]);

    await fireEvent.error(await screen.findByRole("img"));

    await waitFor(() => expect(screen.queryByRole("img")).toBeNull());
    expect(screen.getAllByRole("listitem").map(({ textContent }) => textContent?.includes("Save"))).toEqual([
      true,
      true,
    ]);
  });

  it("are cards where the picture is not kept any more", async () => {
    const { pictureOf } = show([PICTURE], null);

    await waitFor(() => expect(pictureOf).toHaveBeenCalledOnce());

    expect(screen.queryByRole("img")).toBeNull();
  });

  it("are saved by buttons that say which file", async () => {
    const { save } = show([LIST, PICTURE]);

    await fireEvent.click(screen.getByRole("button", { name: "Save map.png" }));

    expect(save.mock.calls).toEqual([[7, 1]]);
  });
});

const asked = {
  type: "asked",
  reply: 1,
  text: "Where?",
  origin: "typed",
  at: "2026-03-01T09:41:00Z",
  replacesPrevious: false,
} as const;

describe("a reply with files", () => {
  it("is complete without any text", () => {
    const state = applyEvents(EMPTY, [asked, { type: "done", reply: 1, text: "", attachments: [PICTURE] }]);

    expect(lastMessage(state)).toMatchObject({ attachments: [PICTURE], isCut: false, isRunning: false });
  });

  it("is announced with their names, once", () => {
    const state = applyEvents(EMPTY, [asked, { type: "done", reply: 1, text: "Here.", attachments: [PICTURE, LIST] }]);

    const first = announcement(state, { key: "", length: 0 });
    const second = announcement(state, first.announced);

    expect(first.text).toBe("Here.\n\nFiles: map.png, list.csv");
    expect(second.text).toBe("");
  });

  it("keeps what did not arrive as notes", () => {
    const state = applyEvents(EMPTY, [asked, { type: "note", reply: 1, text: "“a.zip” cannot be shown here." }]);

    expect(lastMessage(state)).toMatchObject({ notes: ["“a.zip” cannot be shown here."] });
  });
});
