// OpenAI's and Vercel's JavaScript clients against a server: node_client.mjs ADDRESS, from a folder where npm has
// installed openai, ai, @ai-sdk/openai-compatible and @ai-sdk/openai. Exit status 0 when all is well.
import assert from "node:assert";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(process.cwd() + "/");
const load = (name) => import(pathToFileURL(require.resolve(name)));
const { default: OpenAI } = await load("openai");
const { generateText, streamText, embed, jsonSchema, tool, generateObject, stepCountIs } = await load("ai");
const { createOpenAICompatible } = await load("@ai-sdk/openai-compatible");
const { createOpenAI } = await load("@ai-sdk/openai");

const baseURL = process.argv[2] + "/v1";
const client = new OpenAI({ baseURL, apiKey: "secret", maxRetries: 0 });
const provider = createOpenAICompatible({ name: "lacuna", baseURL, apiKey: "secret", includeUsage: true });
const ask = [{ role: "user", content: "What is the capital of France?" }];
const place = { type: "object", properties: { place: { type: "string", enum: ["Oslo", "Rome"] } }, required: ["place"], additionalProperties: false };
let done = 0;
const expect = async (what, run) => {
  try {
    await run();
    done += 1;
  } catch (problem) {
    console.error(what, problem);
    process.exit(1);
  }
};

await expect("models", async () => {
  const all = [];
  for await (const one of client.models.list()) all.push(one.id);
  assert.deepEqual(all, ["pilot"]);
});
await expect("chat", async () => {
  const reply = await client.chat.completions.create({ model: "pilot", messages: ask, max_tokens: 8 });
  assert(reply.choices[0].message.content && reply.usage.total_tokens > 8);
  let text = "";
  for await (const chunk of await client.chat.completions.create({ model: "pilot", messages: ask, max_tokens: 8, stream: true }))
    text += chunk.choices[0]?.delta?.content ?? "";
  assert.equal(text, reply.choices[0].message.content);
});
await expect("chat stream helper", async () => {
  const runner = client.chat.completions.stream({ model: "pilot", messages: ask, max_tokens: 8 });
  assert((await runner.finalChatCompletion()).choices[0].message.content);
});
await expect("parsed schema", async () => {
  const reply = await client.chat.completions.parse({
    model: "pilot", messages: ask, max_tokens: 60,
    response_format: { type: "json_schema", json_schema: { name: "p", strict: true, schema: place } },
  });
  assert(["Oslo", "Rome"].includes(JSON.parse(reply.choices[0].message.content).place));
});
await expect("responses", async () => {
  const reply = await client.responses.create({ model: "pilot", input: "Hello", max_output_tokens: 8 });
  assert(reply.output_text.length > 0);
  let text = "", last;
  for await (const event of await client.responses.create({ model: "pilot", input: "Hello", max_output_tokens: 8, stream: true })) {
    if (event.type === "response.output_text.delta") text += event.delta;
    last = event.type;
  }
  assert.equal(text, reply.output_text);
  assert(["response.completed", "response.incomplete"].includes(last));
  const after = await client.responses.create({ model: "pilot", input: "And then?", previous_response_id: reply.id, max_output_tokens: 8 });
  assert(after.usage.input_tokens > reply.usage.input_tokens && after.previous_response_id === reply.id);
  assert.equal((await client.responses.retrieve(reply.id)).output_text, reply.output_text);
  await client.responses.delete(reply.id);
  await assert.rejects(client.responses.retrieve(reply.id), OpenAI.NotFoundError);
});
await expect("response stream helper", async () => {
  const runner = client.responses.stream({ model: "pilot", input: "Hello", max_output_tokens: 8 });
  assert((await runner.finalResponse()).output_text.length > 0);
});
await expect("embeddings", async () => {
  const reply = await client.embeddings.create({ model: "pilot", input: ["a house", "the sea"] });
  assert.equal(reply.data.length, 2);
  const length = Math.hypot(...reply.data[0].embedding);
  assert(Math.abs(length - 1) < 1e-4, `length ${length}`);
});
await expect("abort", async () => {
  const stop = new AbortController();
  const stream = await client.chat.completions.create({ model: "pilot", messages: ask, max_tokens: 1000, stream: true }, { signal: stop.signal });
  for await (const _ of stream) { stop.abort(); break; }
});
await expect("refusal", async () => {
  await assert.rejects(client.chat.completions.create({ model: "pilot", messages: ask, temperature: 9 }), OpenAI.BadRequestError);
});
const model = provider("pilot");
await expect("ai: generateText", async () => {
  const { text, usage } = await generateText({ model, prompt: "Hello", maxOutputTokens: 8 });
  assert(text.length > 0 && usage.outputTokens > 0 && usage.outputTokens <= 8);
});
await expect("ai: streamText", async () => {
  const { textStream, usage } = streamText({ model, prompt: "Hello", maxOutputTokens: 8 });
  let text = "";
  for await (const part of textStream) text += part;
  assert(text.length > 0);
  assert((await usage).outputTokens > 0);
});
await expect("ai: tools", async () => {
  const weather = tool({ description: "the weather", inputSchema: jsonSchema(place) });
  const asked = { model, prompt: "Weather?", tools: { weather }, toolChoice: { type: "tool", toolName: "weather" }, maxOutputTokens: 60 };
  const { toolCalls } = await generateText(asked);
  assert(["Oslo", "Rome"].includes(toolCalls[0].input.place));
  const streamed = streamText(asked);
  assert(["Oslo", "Rome"].includes((await streamed.toolCalls)[0].input.place));
});
await expect("ai: generateObject", async () => {
  const structured = createOpenAICompatible({ name: "lacuna", baseURL, apiKey: "secret", supportsStructuredOutputs: true });
  const { object } = await generateObject({ model: structured("pilot"), prompt: "Where?", schema: jsonSchema(place), maxOutputTokens: 60 });
  assert(["Oslo", "Rome"].includes(object.place));
});
// OpenAI's provider asks for responses, and refers to the items of earlier answers by their ids.
const responses = createOpenAI({ baseURL, apiKey: "secret" }).responses("pilot");
await expect("ai: responses in two turns", async () => {
  const hello = { role: "user", content: "Hello" };
  const first = await generateText({ model: responses, messages: [hello], maxOutputTokens: 8 });
  const messages = [hello, ...first.response.messages, { role: "user", content: "And then?" }];
  const second = await generateText({ model: responses, messages, maxOutputTokens: 8 });
  assert(second.text.length > 0 && second.usage.inputTokens > first.usage.inputTokens + 8);
});
await expect("ai: responses with a tool in two steps", async () => {
  let asked;
  const weather = tool({ description: "the weather", inputSchema: jsonSchema(place), execute: async (input) => { asked = input.place; return "rain"; } });
  const { steps, text } = await generateText({
    model: responses, prompt: "Weather?", tools: { weather }, maxOutputTokens: 60, stopWhen: stepCountIs(2),
    prepareStep: ({ stepNumber }) => ({ toolChoice: stepNumber === 0 ? "required" : "none" }),
  });
  assert(["Oslo", "Rome"].includes(asked) && steps.length === 2 && text.length > 0);
});
await expect("ai: embed", async () => {
  const { embedding } = await embed({ model: provider.textEmbeddingModel("pilot"), value: "a house" });
  assert(embedding.length > 8);
});
const version = (name) => require(require.resolve.paths(name)[0] + "/" + name + "/package.json").version;
console.log(`node ${process.version}, openai ${version("openai")}, ai ${version("ai")}: ${done} cases`);
