import { Agent, request } from 'node:http';

export type Read = { url: string; headers: Record<string, string> };
export type ReadTimes = { readsPerSecond: number; p50Ms: number; p99Ms: number };

/** Sends the reads over as many connections as there are clients, each as soon as its client has the answer before. */
export async function readConcurrently(reads: Read[], clients: number): Promise<ReadTimes> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const waiting = [...reads].reverse();
  const durationsMs: number[] = [];
  const startMs = performance.now();
  async function client(): Promise<void> {
    for (let read = waiting.pop(); read; read = waiting.pop()) {
      const sentMs = performance.now();
      await send(read, agent);
      durationsMs.push(performance.now() - sentMs);
    }
  }
  await Promise.all(Array.from({ length: clients }, client));
  const seconds = (performance.now() - startMs) / 1000;
  agent.destroy();
  const sorted = durationsMs.toSorted((a, b) => a - b);
  const percentile = (share: number) => sorted[Math.floor(share * (sorted.length - 1))]!;
  return { readsPerSecond: reads.length / seconds, p50Ms: percentile(0.5), p99Ms: percentile(0.99) };
}

const send = ({ url, headers }: Read, agent: Agent): Promise<void> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { agent, headers }, (response) => {
      const { statusCode } = response;
      if (statusCode !== 200) reject(new Error(`${url} answers ${statusCode}`));
      response.resume().once('end', resolve).once('error', reject);
    });
    sent.once('error', reject).end();
  });
