import { catchAll, choice, type States, succeed, type Tasks } from './task-states.ts';

/** The branch of the text tracks. It never fails, because a video plays without captions. */
export const makeCaptions = ({ callFunction, runJob }: Tasks): States => ({
  HasText: choice('Most sources have no text tracks and no chapters.', '{% $plan.captions %}', 'ExtractText', 'NoText'),
  ExtractText: {
    ...runJob('Converts the text tracks and the chapters of the source.', {
      videoUlid: '{% $videoUlid %}',
      planNumber: '{% $planNumber %}',
      kind: 'text',
      index: 0,
    }),
    Catch: catchAll('AddCaptions'),
    Next: 'AddCaptions',
  },
  AddCaptions: {
    ...callFunction('add-captions', 'Stores the captions, or why there are none.', {
      videoUlid: '{% $videoUlid %}',
      planNumber: '{% $planNumber %}',
    }),
    Output: {},
    Catch: catchAll('CaptionsNotAdded'),
    End: true,
  },
  CaptionsNotAdded: { Type: 'Pass', Comment: 'The failure of the function is in its log.', Output: {}, End: true },
  NoText: succeed('The video gets no captions from its source.'),
});
