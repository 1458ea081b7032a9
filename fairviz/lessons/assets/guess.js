// A guess before the answer: nothing is computed or worded here. What is said of a guess stands in the file, and the
// answer is only there in a teacher's file.
(function () {
  "use strict";
  var form = document.querySelector(".guess");
  var said = form.querySelector(".said");
  var reveal = form.querySelector(".reveal");
  var inputs = Array.prototype.slice.call(form.querySelectorAll("input, .items button"));
  var words = JSON.parse(form.querySelector("script.words").textContent);
  var replies = JSON.parse(form.querySelector("script.replies").textContent);
  var picked = [];
  var guess = "";

  function take(text) {
    guess = Object.prototype.hasOwnProperty.call(words, text) ? text : "";
    said.textContent = guess ? words[guess] : "";
    if (reveal) { reveal.disabled = !guess; }
  }

  // A slider has no value until it is moved; the box beside it says the same.
  function number(event) {
    inputs.forEach(function (input) { input.value = event.target.value; });
    inputs[0].removeAttribute("aria-valuetext");
    inputs[0].classList.remove("unset");
    take(event.target.value);
  }

  function range() {
    var ends = inputs.map(function (input) { return Number(input.value); }).sort(function (a, b) { return a - b; });
    inputs.forEach(function (input) { input.classList.remove("unset"); });
    take(ends.join("-"));
  }

  function order(event) {
    var letter = event.currentTarget.value;
    var at = picked.indexOf(letter);
    if (at < 0) { picked.push(letter); } else { picked.splice(at, 1); }
    inputs.forEach(function (button) {
      var place = picked.indexOf(button.value);
      button.setAttribute("aria-pressed", String(place >= 0));
      button.querySelector(".place").textContent = place < 0 ? "" : String(place + 1);
    });
    take(picked.join(""));
  }

  function choice(event) { take(event.target.value); }

  var heard = { number: number, range: range, order: order, choice: choice }[form.dataset.kind];
  inputs.forEach(function (input) {
    input.addEventListener(input.tagName === "BUTTON" ? "click" : "input", heard);
  });
  if (reveal) {
    reveal.addEventListener("click", function () {
      inputs.concat(reveal).forEach(function (input) { input.disabled = true; });
      said.textContent = replies[guess];
      document.body.classList.add("revealed");
      var answer = document.querySelector("#s2 h2");
      answer.tabIndex = -1;
      answer.focus();
    });
  }
})();
