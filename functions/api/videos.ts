import { isDeepStrictEqual } from 'node:util';
import { Conflict, NotFound, ServiceUnavailable, ValidationFailed } from '../../shared/errors.ts';
import { parseUlid } from '../../shared/ids.ts';
import { type Template, templateRecord, type User } from '../../shared/records.ts';
import { pageMeta, pageOffset } from '../../shared/routes/paging.ts';
import { videoRoutes } from '../../shared/routes/videos.ts';
import { isFinal } from '../../shared/statuses.ts';
import { videoActivity } from '../../shared/table/activity.ts';
import { ConditionFailed, getItem, transact } from '../../shared/table/items.ts';
import { findJob, jobAgain } from '../../shared/table/jobs.ts';
import { keys } from '../../shared/table/keys.ts';
import { listActiveProxies } from '../../shared/table/nodes.ts';
import { findTemplate } from '../../shared/table/templates.ts';
import { findUserById } from '../../shared/table/users.ts';
import { changeVideo, hideVideo } from '../../shared/table/video-changes.ts';
import { nextPlan, reprocessing } from '../../shared/table/video-lifecycle.ts';
import { listVideos } from '../../shared/table/video-list.ts';
import { findVideo, findWholeVideo, type WholeVideo } from '../../shared/table/videos.ts';
import { chooseProxy } from '../delivery/choose-proxy.ts';
import { signedSources } from '../delivery/signed-sources.ts';
import { startRun, stopRun } from '../executions.ts';
import { api, recordRoute, route } from '../http.ts';
import { probeId } from '../jobs/probe-id.ts';
import { fitPage } from '../present/fit-page.ts';
import { presentListedVideo, presentVideo } from '../present/video.ts';
import { startSweep } from '../start-sweep.ts';

/** A video is its owner's and the administrators'; to everyone else it is not there. */
async function visible({ params, user }: { params: { ulid: string }; user: User }): Promise<WholeVideo | undefined> {
  const ulid = parseUlid(params.ulid);
  const whole = ulid === undefined ? undefined : await findWholeVideo(ulid);
  return whole && (whole.video.ownerUlid === user.ulid || user.isAdmin) ? whole : undefined;
}

/** With its template. */
async function presented(whole: WholeVideo) {
  return { data: presentVideo(whole, await getItem(templateRecord, keys.template(whole.video.templateUlid))) };
}

/** The record as it is after a change. */
async function shown(ulid: string) {
  const whole = await findWholeVideo(ulid);
  if (!whole) throw new NotFound();
  return presented(whole);
}

const list = route(videoRoutes.list, async ({ query, user }) => {
  const owner = query.user_id === undefined ? user : await userNamed(query.user_id);
  const { total, videos } = await listVideos(owner.ulid, { offset: pageOffset(query), limit: query.per_page });
  return { data: fitPage(videos.map(presentListedVideo)), meta: pageMeta(query, total) };
});

const get = recordRoute(videoRoutes.get, visible, ({ found }) => presented(found));

const update = recordRoute(videoRoutes.update, visible, async ({ found: { video }, body, user }) => {
  const owner = body.user_id === undefined ? undefined : await userNamed(body.user_id);
  const owners = [user.ulid, video.ownerUlid, ...(owner ? [owner.ulid] : [])];
  // The template that the video has may be of a user who had the video before.
  const isOther = body.template_id !== undefined && body.template_id !== video.templateId;
  const template = isOther ? await templateNamed(body.template_id!, owners) : undefined;
  await changeVideo(video, user, { name: body.name, template, owner });
  return shown(video.ulid);
});

const remove = recordRoute(videoRoutes.remove, visible, async ({ found: { video, changes }, user }) => {
  const own = isFinal(video.status) ? null : video.executionArn;
  for (const executionArn of [own, ...changes.map((change) => change.executionArn)]) {
    if (executionArn) await stopRun(executionArn, 'The video was deleted.');
  }
  await hideVideo(video, user);
  await startSweep();
});

const sources = recordRoute(videoRoutes.sources, visible, async ({ found, query }) => {
  const { video, outputs, streams } = found;
  const proxy = chooseProxy(await listActiveProxies(), video.ulid);
  if (!proxy) throw new ServiceUnavailable('No active proxy node is available.', 60);
  return signedSources(proxy, { video, outputs, streams, lifeSeconds: query.expires_in });
});

const reprocess = recordRoute(videoRoutes.reprocess, visible, async ({ found: { video }, body, user }) => {
  const template = await getItem(templateRecord, keys.template(video.templateUlid));
  const force = body.force === true;
  const anew = force || (video.query !== null && !isDeepStrictEqual(template?.query, video.query));
  const probe = force ? await findJob(probeId(video.ulid)) : undefined;
  try {
    await transact([
      ...reprocessing(video, { anew }),
      ...(probe?.status === 'DONE' ? [jobAgain(probe)] : []),
      videoActivity(user, video, 'reprocessed', `Reprocessed ${video.name}`, {
        template_id: video.templateId,
        ...(force && { force }),
      }),
    ]);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    // Asked for before, by a call that may have died before it began: then it begins now.
    const current = await findVideo(video.ulid);
    if (current?.status === 'pending' && current.executionArn === null) await startRun(current);
    throw new Conflict('The video or one of its streams is being processed.');
  }
  await startRun({ ulid: video.ulid, run: anew ? nextPlan(video) : video.run, starts: video.starts + 1 });
  return shown(video.ulid);
});

async function userNamed(id: number): Promise<User> {
  const user = await findUserById(String(id));
  if (!user) throw new ValidationFailed({ user_id: ['The selected user id is invalid.'] });
  return user;
}

/** The template of that id, when one of these users has it. */
async function templateNamed(id: number, ownerUlids: string[]): Promise<Template> {
  for (const ownerUlid of new Set(ownerUlids)) {
    const template = await findTemplate(ownerUlid, String(id));
    if (template) return template;
  }
  throw new ValidationFailed({ template_id: ['The selected template id is invalid.'] });
}

export const handler = api([list, get, update, remove, sources, reprocess]);
