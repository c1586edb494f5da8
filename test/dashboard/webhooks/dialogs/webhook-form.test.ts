import { expect, test } from 'vitest';
import {
  changesOf,
  creationOf,
  eventErrors,
  eventsBySubject,
  formOf,
} from '../../../../dashboard/webhooks/dialogs/webhook-form.ts';
import type { Webhook } from '../../../../dashboard/webhooks/webhook-properties.ts';
import { eventTypes } from '../../../../functions/contracts/event-types.ts';

const webhook = {
  name: 'Shop',
  url: 'https://shop.example.com/hooks',
  events: ['video.failed', 'video.completed'],
  external_user_id: 'crm-1',
  active: true,
} as unknown as Webhook;

test('the form offers all types of events', () => {
  expect([...eventsBySubject.values()].flat().toSorted()).toEqual(eventTypes.toSorted());
  expect(eventsBySubject.get('node')).toEqual(['node.failed', 'node.recovered']);
});

test('a new webhook has the usual events and leaves the defaults to the service', () => {
  const form = { ...formOf(undefined), name: ' Shop ', url: ' https://shop.example.com ' };
  expect(creationOf(form)).toEqual({
    name: 'Shop',
    url: 'https://shop.example.com',
    events: ['video.completed', 'video.failed'],
  });
  expect(creationOf({ ...form, externalUser: 'crm-1', isActive: false, hasAllEvents: true })).toMatchObject({
    external_user_id: 'crm-1',
    active: false,
    events: ['*'],
  });
});

test('only what was changed is sent', () => {
  const form = formOf(webhook);
  expect(changesOf(form, form)).toEqual({});
  expect(changesOf(form, { ...form, events: ['video.completed', 'video.failed'] })).toEqual({});
  expect(changesOf(form, { ...form, externalUser: '' })).toEqual({ external_user_id: null });
  expect(changesOf(form, { ...form, hasAllEvents: true, isActive: false })).toEqual({ events: ['*'], active: false });
});

test('the form of a webhook for all events has no single ones', () => {
  expect(formOf({ ...webhook, events: ['*'] })).toMatchObject({ hasAllEvents: true, events: [] });
});

test('errors of single events are shown with those of the list', () => {
  const errors = { url: ['no'], events: ['empty'], 'events.0': ['unknown'], 'events.1': ['unknown'] };
  expect(eventErrors(errors)).toEqual(['empty', 'unknown']);
});
