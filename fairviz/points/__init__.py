"""What several studies look at: points of systems along α or policies, with their disparity, quality and attention.

``curves`` are points of runs, ``outputs`` those of recorded answers, system by system, ``conditions`` curves of these,
``estimates`` what lies between recorded α, ``summary`` areas and slopes, ``intervals`` tests along EE-D, ``view`` how
systems are named, ``charts`` how they stand and are drawn in small panels, ``columns`` what tables and sentences hold
of all of them, ``reranking`` whole runs re-ranked, ``bounds`` what is stated of shares, ``shares`` attention by group,
``targets`` what it should be.
"""
