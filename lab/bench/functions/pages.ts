import { listVideos } from '../../../functions/table/videos/video-list.ts';
import { mockManyVideos } from '../../../test/fixtures/records/mock-many-videos.ts';
import { type Row, row } from '../row.ts';

const limit = 15;
const total = 100_000;

/** The number of table calls for a page of a very long list: the first page and a deep one. */
export async function measurePages(): Promise<Row[]> {
  const stored = mockManyVideos(total);
  const callsFor = async (page: number): Promise<number> => {
    await listVideos(stored.owner, { offset: (page - 1) * limit, limit });
    return stored.calls().length;
  };
  try {
    return [
      row({ name: `page 1 of ${total} videos`, unit: 'calls', atMost: 3, value: await callsFor(1) }),
      row({
        name: `page 3,334 of ${total} videos, the middle`,
        unit: 'calls',
        atMost: 20,
        value: await callsFor(3334),
      }),
      row({ name: `page 5,000 of ${total} videos`, unit: 'calls', atMost: 20, value: await callsFor(5000) }),
    ];
  } finally {
    stored.restore();
  }
}
