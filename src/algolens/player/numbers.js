// @ts-check
"use strict";

/* A user's numbers as whole ones: multiplied by what makes all of them whole, or ranked where only their order counts. As Python does it. */

/** A decimal, exactly: so many units of 1 over a power of ten. @typedef {{digits: bigint, power: bigint}} Exact */

const MOST_POWER = 300; // of ten, in a number that is multiplied

/** The number that a text says; null where it says none. @param {string} text @returns {Exact | null} */
function exactNumber(text) {
  const found = /^([+-]?)(?:(\d+)(?:\.(\d*))?|\.(\d+))(?:[eE]([+-]?\d+))?$/.exec(text.trim());
  if (found === null) return null;
  const [, sign, whole = "", after = "", only = "", exponent = "0"] = found;
  const places = (after + only).length - Number(exponent);
  let digits = BigInt(`${whole}${after}${only}` || "0") * (sign === "-" ? -1n : 1n);
  if (digits === 0n) return { digits, power: 1n };
  if (places > MOST_POWER + 400 || places < -MOST_POWER) return null;
  if (places < 0) return { digits: digits * 10n ** BigInt(-places), power: 1n };
  let power = 10n ** BigInt(places);
  const common = greatestDivisor(digits < 0n ? -digits : digits, power);
  digits /= common;
  power /= common;
  return { digits, power };
}

/** @param {bigint} a @param {bigint} b @returns {bigint} */
function greatestDivisor(a, b) {
  return b === 0n ? a : greatestDivisor(b, a % b);
}

/** What makes numbers whole. @param {Exact[]} numbers */
function commonFactor(numbers) {
  return numbers.reduce((factor, { power }) => (factor * power) / greatestDivisor(factor, power), 1n);
}

/** A whole number as the page counts with it: exactly. @param {bigint} whole @returns {Value} */
function asValue(whole) {
  return whole > -(2n ** 53n) && whole < 2n ** 53n ? Number(whole) : whole;
}

/** Below 0 where the first is less. @param {Exact} one @param {Exact} other */
function compareExact(one, other) {
  const difference = one.digits * other.power - other.digits * one.power;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** The rank of each number from 0 on; equals share one, or the first comes first. @param {Exact[]} numbers @param {boolean} hasTies @returns {number[]} */
function ranksOf(numbers, hasTies) {
  const order = numbers.map((_, i) => i).sort((a, b) => compareExact(numbers[a], numbers[b]) || a - b);
  /** @type {number[]} */
  const ranks = [];
  let rank = -1;
  order.forEach((place, i) => {
    if (!hasTies || i === 0 || compareExact(numbers[order[i - 1]], numbers[place]) !== 0) rank++;
    ranks[place] = rank;
  });
  return ranks;
}

/** How many bits hold a whole number. @param {bigint} whole @param {boolean} isSigned */
function bitsFor(whole, isSigned) {
  const size = isSigned && whole < 0n ? ~whole : whole < 0n ? 0n : whole;
  return (size === 0n ? 0 : size.toString(2).length) + (isSigned ? 1 : 0);
}
