import { describe, expect, test } from 'vitest';
import { isTelemetry } from '../../../encoder-task/text/telemetry.ts';

/** A track with one text a second. */
const track = (...texts: string[]) => texts.map((text, n) => ({ startSeconds: n, bytes: Buffer.from(text, 'latin1') }));

describe('text of a camera is no caption', () => {
  test.each([
    ['DJI Mavic Pro', 'F/2.8, SS 206.03, ISO 100, EV 0, GPS (11.0253, 48.2346, 19), D 24.18m, H 45.00m, H.S 0.00m/s'],
    ['DJI without a position', 'F/2.8, SS 50.00, ISO 200, EV +1.0, DZOOM 1.000, GPS (0.0, 0.0, 0), D 0m, H 0.00m'],
    ['DJI Phantom', 'HOME(11.0251,48.2345) 2019.01.01 12:00:01\nGPS(11.0253,48.2345,19) BAROMETER:60.4'],
    ['DJI Mini', '[iso : 100] [shutter : 1/100.0] [fnum : 170] [latitude: 48.646244] [longitude: 11.377171]'],
    [
      'DJI with one bracket for two',
      '[iso: 200] [shutter: 1/241.19] [fnum: 4.3] [ev: 0] [rel_alt: 10.0 abs_alt: 105.1]',
    ],
    ['DJI with a counter only', '<font size="28">SrtCnt : 1, DiffTime : 33ms'],
    ['Autel', 'HOME(W: 97.616776, N: 30.219286) 2020-11-01 15:29:24\nISO:105 SHUTTER:500 EV:0.0 F-NUM:2.8'],
    ['Autel with altitude', 'GPS(W: 97.621475, N: 30.214199, 161m)'],
    ['Parrot, remuxed', 'lat: 48.878922 lon: 2.367782 alt: 71.2'],
    ['Viofo', '$GPRMC,082138.00,A,4807.0383,N,01131.0004,E,012.5,87.86,050219,,,A*57'],
    ['Thinkware', 'gsensori,4,512,-67,-12,100;GNRMC,161313.00,A,4529.87489,N,07337.01215,W,6.2,35.3,310819,,,A*52'],
    ['a receiver without reception', '$GNRMC,000125,V,,,,,000.0,,280908,002.1,N*71'],
    ['Mini 0806', 'A,270519,201555.000,3356.8925,N,08420.2071,W,000.0,331.0M,+01.84,-09.80,-00.61;\n'],
    ['Garmin', '\0\x26PNDM\x01\x02\x03'],
    ['Roadhawk', '.;;;;D?JL;6+;;;D;R?;4;;;;DBB;;O;;;=D;L;;HO71G>F;-?=J-F:FNJJ;DPP-JF3F;;PL=DBRLBF0F;=?DNF*6F~'],
    ['BlueSkySea', '\0\0\0\0\xaa\xaa\xaa\xaa\x54\x54\x98\x9a\x9b\x93'],
    ['a dashcam with the time', '2024/03/15 10:23:41  43 km/h'],
  ])('%s', (_, text) => {
    expect(isTelemetry(track(text, text, text))).toBe(true);
  });

  test('of an unknown maker, if the numbers change more often than people read', () => {
    const cues = Array.from({ length: 20 }, (_, n) => ({ startSeconds: n / 10, bytes: Buffer.from(`P ${n} Q ${n}`) }));
    expect(isTelemetry(cues)).toBe(true);
    const slow = cues.map(({ bytes }, n) => ({ startSeconds: n, bytes }));
    expect(isTelemetry(slow)).toBe(false);
  });
});

describe('text for viewers is a caption', () => {
  test.each([
    [
      'dialogue',
      ['Good morning!', 'Did you drive 120 km/h?', 'Meet me at 48.1234, 11.5678.', 'No. Why?', 'Ask the GPS (again).'],
    ],
    ['songs in karaoke', ['la', 'la', 'la', 'la', 'la', 'la', 'la', 'la', 'la', 'la']],
    ['a scene with a date', ['2024-03-15 10:23:41', 'Who is there?', 'It is me.', 'Come in.']],
    ['empty cues between texts', ['Hello.', '\0\0', 'ISO is a standard.', '\0\0']],
    ['nothing', []],
  ])('%s', (_, texts) => {
    expect(isTelemetry(track(...texts))).toBe(false);
  });
});
