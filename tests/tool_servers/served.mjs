// A server of the tools of one scenario of tests/replying. Its argument is their JSON: name, description, the types of the
// parameters, whether it only reads, and the results of the first call, the second, and so on; the last one is repeated.
import { createInterface } from "node:readline";

const tools = JSON.parse(process.argv[2]);
const calls = new Map();

const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");

function schema(parameters) {
  const properties = Object.entries(parameters).map(([name, type]) => [name, { type }]);
  return { type: "object", properties: Object.fromEntries(properties) };
}

function call(name) {
  const { results } = tools.find((tool) => tool.name === name);
  const count = calls.get(name) ?? 0;
  calls.set(name, count + 1);
  const result = results[Math.min(count, results.length - 1)];
  return { content: [{ type: "text", text: result.text ?? result.error }], isError: result.error !== undefined };
}

const listed = tools.map(({ name, description, parameters, reads }) => ({
  name,
  description,
  inputSchema: schema(parameters),
  annotations: { readOnlyHint: reads ?? false },
}));

const requests = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "served", version: "1" } }),
  "tools/list": () => ({ tools: listed }),
  "tools/call": ({ name }) => call(name),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const request = requests[method];
  send(request ? { id, result: request(params ?? {}) } : { id, error: { code: -32601, message: `no ${method}` } });
}
