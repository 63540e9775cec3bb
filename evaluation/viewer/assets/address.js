// What a link says: #step=41&who=LL&tab=why&call=873&find=beefsteak.

export const TABS = { step: "This step", resident: "Resident", why: "Why?", society: "Society", find: "Trace" };

/** What a link asks for; what it does not name stays as it is. */
export function readAddress(hash, names) {
  const asked = new URLSearchParams(hash.replace(/^#/, "")), view = {};
  if (/^\d+$/.test(asked.get("step") ?? "")) view.step = Number(asked.get("step"));
  if (names.includes(asked.get("who"))) view.who = asked.get("who");
  if (asked.get("tab") in TABS) view.tab = asked.get("tab");
  if (/^\d+$/.test(asked.get("call") ?? "")) Object.assign(view, { call: asked.get("call"), tab: "why" });
  if (asked.has("find")) Object.assign(view, { find: asked.get("find"), tab: view.tab ?? "find" });
  if (asked.get("run") === "2") view.side = 1;
  return view;
}

/** The link to what is shown. */
export function writeAddress({ step, who, tab, call, find, side }) {
  const parts = [`step=${step}`];
  if (who) parts.push(`who=${encodeURIComponent(who)}`);
  if (tab !== "step") parts.push(`tab=${tab}`);
  if (call && tab === "why") parts.push(`call=${call}`);
  if (find && tab === "find") parts.push(`find=${encodeURIComponent(find)}`);
  if (side) parts.push("run=2");
  return `#${parts.join("&")}`;
}
